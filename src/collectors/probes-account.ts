// Defines the accounts of the store that have the results of an account's tests and of its probes.

/** The store's name of an account whose tests are probes. Accounts of the configuration never contain a slash. */
export const probesAccount = (account: string): string => `probes/${account}`;

/** The store's accounts with the proxies that the provider's testers and the probes test. */
export const testedAccounts = (account: string): readonly string[] => [account, probesAccount(account)];
