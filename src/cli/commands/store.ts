// Declares the commands about the file of the store.

import { configOption, optional } from '../options.ts';
import type { CommandGroup } from './command.ts';

export const STORE: CommandGroup = {
  name: 'store',
  description: 'Check, back up or restore the store.',
  commands: [
    {
      name: 'check',
      summary: 'Check the store for damage.',
      description: 'Check the store for damage. You can run this command while the daemon runs.',
      options: [configOption()],
      exitCodes: { 0: 'the store has no damage', 1: 'the store is damaged or unreadable' },
      examples: ['--config config.yaml'],
      load: async () => (await import('../store.ts')).checkStore,
    },
    {
      name: 'backup',
      summary: 'Copy the store to a file.',
      description:
        'Copy the store to a file, and check the copy. You can run this command while the daemon runs. With --account, move one account out of the store instead: stop the daemon first. The file then contains only this account.',
      arguments: { file: 'file to create; - writes the copy to standard output' },
      options: [
        configOption(),
        optional('--overwrite', 'replace the file if it exists'),
        optional('--account <name>', 'move this account out of the store, and write only this account'),
      ],
      exitCodes: {
        0: 'the backup is complete',
        1: 'the command made no backup. An existing file is unchanged',
      },
      examples: ['proxywatch-2026-07-05.db --config config.yaml'],
      load: async () => (await import('../store.ts')).backUpStore,
    },
    {
      name: 'restore',
      summary: 'Replace the store with a backup.',
      description:
        'Replace the store with a backup. Stop the daemon first. The command keeps the replaced store under another name. With --merge, take in the account that "store backup --account" moved out of another store.',
      arguments: { file: 'backup to restore' },
      options: [configOption(), optional('--merge', 'add the account in the file to the store')],
      exitCodes: { 0: 'the backup is in place', 1: 'the store is unchanged' },
      examples: ['proxywatch-2026-07-05.db --config config.yaml'],
      load: async () => (await import('../store.ts')).restoreStore,
    },
  ],
};
