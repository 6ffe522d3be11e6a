-- The links of a document in one row: thousands of rows for one document made its commit long.
CREATE TABLE link_lists (
  file_id INTEGER PRIMARY KEY REFERENCES files (id),
  count INTEGER NOT NULL,
  -- A flat JSON list in the order of the document: line, kind, target, line, kind, target, …
  links TEXT NOT NULL
) STRICT;
INSERT INTO link_lists (file_id, count, links)
SELECT file_id, count(*), '[' || group_concat(line || ',' || json_quote(kind) || ',' || json_quote(target), ',') || ']'
FROM (SELECT file_id, line, kind, target FROM links ORDER BY file_id, position)
GROUP BY file_id;
DROP TABLE links;
