// Converts a batch to the bytes that the store keeps, and back.

import type { Batch } from '../../remote-write/series.ts';

export const bodyOf = (batch: Batch): Uint8Array => Buffer.from(JSON.stringify(batch));

export const batchOf = (body: Uint8Array): Batch => JSON.parse(Buffer.from(body).toString());
