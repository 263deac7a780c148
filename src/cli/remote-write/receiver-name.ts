// Finds the mistake in the name of a receiver on the command line.

import { closestMatch } from '../../config/closest-match.ts';
import type { Settings } from '../../daemon/settings.ts';

export const mistakeInReceiver = (
  { remote_write }: Pick<Settings, 'remote_write'>,
  name: string,
): string | undefined => {
  const names = remote_write.map((receiver) => receiver.name);
  if (names.length === 0)
    return 'the configuration has no receivers of remote write. Add a receiver to remote_write';
  if (names.includes(name)) return undefined;
  const suggestion = closestMatch(name, names);
  const rest =
    suggestion === undefined
      ? `. The receivers are called ${names.join(', ')}`
      : `; did you mean ${suggestion}?`;
  return `no receiver of remote write is called ${name}${rest}`;
};
