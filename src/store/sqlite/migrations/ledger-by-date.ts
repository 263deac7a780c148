// Adds the ledger's index by date again, because LEDGER_RULE dropped it when it replaced the table.

export const LEDGER_BY_DATE = `
CREATE INDEX ledger_by_date ON ledger (account_id, period_date, id);
`;
