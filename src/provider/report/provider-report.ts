// Puts the reports of all accounts together: how the provider's answers differ from their documentation.

import type { AccountReport } from './account-report.ts';

const ABOUT = [
  "This report lists how the provider's answers differ from the provider's documentation.",
  'The report contains no value of any field.',
  'It contains only paths and names of fields, types, counts, sizes and times.',
].join(' ');

export const providerReport = (version: string, accounts: readonly Pick<AccountReport, 'toJson'>[]) => ({
  about: ABOUT,
  version,
  accounts: accounts.map((account, index) => account.toJson(index + 1)),
});
