// proxywatch silence remove: ends a silence of a running daemon at once.

import type { CommandContext, ExitCode } from '../context.ts';
import { askDaemon, type ConnectionOptions } from '../daemon-client/daemon-client.ts';

export interface RemoveOptions extends ConnectionOptions {
  readonly id: string;
}

/** Throws DaemonError. */
export const removeSilence = async (
  context: CommandContext,
  { id, ...options }: RemoveOptions,
): Promise<ExitCode> => {
  await askDaemon(context, options, 'DELETE', `api/v1/silences/${encodeURIComponent(id)}`);
  context.stdout.write(
    `silence ${id}: removed. Receivers are notified of alerts that it kept back, if they still fire\n`,
  );
  return 0;
};
