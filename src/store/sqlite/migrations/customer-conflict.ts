// Whose answers an account's keys brought last, where that is not the customer of its history.

export const CUSTOMER_CONFLICT = `
ALTER TABLE account ADD COLUMN conflicting_customer_id INTEGER;
`;
