// When values of a proxy user lapsed.

export const LAPSES = `
-- JSON: when the first listing began of those in a row that lack a value, by the value's column.
ALTER TABLE proxy_user ADD COLUMN lapses TEXT;
`;
