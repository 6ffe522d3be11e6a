# The names people type first. Each target is one npm script; what it does is in release/.

.PHONY: build test check

build:
	npm run build

test:
	npm test

check:
	npm run check
