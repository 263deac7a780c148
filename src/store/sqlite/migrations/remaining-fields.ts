// What else the provider says of what is stored already, for the API.

export const REMAINING_FIELDS = `
-- JSON; null where the answer was a refusal.
ALTER TABLE quote ADD COLUMN details TEXT;
`;
