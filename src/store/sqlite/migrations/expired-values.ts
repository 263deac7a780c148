// Adds when values of a proxy user expired.

export const EXPIRED_VALUES = `
-- JSON: when the first listing began of those in a row that lack a value, by the value's column.
ALTER TABLE proxy_user ADD COLUMN lapses TEXT;
`;
