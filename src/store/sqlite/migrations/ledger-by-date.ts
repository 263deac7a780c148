// The ledger in order of its dates. LEDGER_RULE dropped the index of that name when it replaced the table.

export const LEDGER_BY_DATE = `
CREATE INDEX ledger_by_date ON ledger (account_id, period_date, id);
`;
