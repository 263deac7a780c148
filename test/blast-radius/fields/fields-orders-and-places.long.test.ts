// Tests what wrong fields in answers about orders and places do.

import { vi } from 'vitest';
import { testFields } from './field-tests.ts';

vi.mock('../../../src/provider/schema.ts', async (original) =>
  (await import('./observed-schema.ts')).observedSchema(original),
);

testFields('orders-and-places', 'Wrong fields in answers about orders and places');
