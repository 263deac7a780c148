// Adds the customer that last answered for an account, if it is not the customer of its history.

export const CUSTOMER_CONFLICT = `
ALTER TABLE account ADD COLUMN conflicting_customer_id INTEGER;
`;
