// The types of pages bring the browser's streams along, which lack what streams of this runtime have.

interface ReadableStream<R> {
  text(): Promise<string>;
}
