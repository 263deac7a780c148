// Defines the settings of the store and of its backups.

import { z } from 'zod';
import { cronExpression, relativePath } from '../../config/primitives.ts';
import { retentionSchema } from '../retention.ts';

const backupSchema = z
  .strictObject({
    schedule: cronExpression().default('30 3 * * *').describe('Schedule for backups'),
    path: relativePath().describe('Folder for backups. Its parent folder must exist'),
    keep: z.number().int().min(1).max(1_000).default(7).describe('Number of backups to keep'),
  })
  .describe('Scheduled backups of the store');

/** `path` is the default file. */
export const storeSchema = (path = './data/proxywatch.db') =>
  z
    .strictObject({
      path: relativePath().prefault(path).describe('SQLite file with all data that must outlive a restart'),
      retention: retentionSchema.prefault({}),
      backup: backupSchema.optional(),
    })
    .prefault({})
    .describe('The store and its history');
