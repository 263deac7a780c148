// Completes statements of the schema that list several columns in a line.

/** The commas between columns, none of which is within parentheses. */
const COLUMN_ENDS = /,\s+(?![^(]*\))/;

/** Returns statements that add the columns. SQLite adds one column at a time. */
export const add = (table: string, columns: string): string =>
  columns
    .split(COLUMN_ENDS)
    .map((column) => `ALTER TABLE ${table} ADD COLUMN ${column};`)
    .join('\n');

/** Puts each column of a table on its own line. SQLite stores the text of a table, which is the same in all stores. */
export const withColumnLines = (step: string): string =>
  step.replaceAll(
    /^(CREATE TABLE \w+ \()\n {2}(.*?)\n(\)[^\n]*;)$/gms,
    (_, begin: string, columns: string, end: string) =>
      `${begin}\n  ${columns.split(COLUMN_ENDS).join(',\n  ')}\n${end}`,
  );
