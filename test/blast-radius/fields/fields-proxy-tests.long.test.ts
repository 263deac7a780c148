// Tests what wrong fields in answers that proxy tests need do.

import { vi } from 'vitest';
import { testFields } from './field-tests.ts';

vi.mock('../../../src/provider/schema.ts', async (original) =>
  (await import('./observed-schema.ts')).observedSchema(original),
);

testFields('proxy-tests', 'Wrong fields in answers that proxy tests need');
