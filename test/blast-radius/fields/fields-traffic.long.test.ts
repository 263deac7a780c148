// Tests what wrong fields in answers about traffic, the ledger and users do.

import { vi } from 'vitest';
import { testFields } from './field-tests.ts';

vi.mock('../../../src/provider/schema.ts', async (original) =>
  (await import('./observed-schema.ts')).observedSchema(original),
);

testFields('traffic', 'Wrong fields in answers about traffic, the ledger and users');
