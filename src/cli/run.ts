// proxywatch run: runs the daemon.

import { createApp } from '../daemon/app.ts';
import { Reloader } from '../daemon/reload.ts';
import { serve } from '../daemon/serve.ts';
import { loadSettings } from '../daemon/settings.ts';
import { systemClock } from '../lib/clock.ts';
import type { CommandContext, ExitCode } from './context.ts';
import { createLog } from './logger.ts';
import { progressBar } from './progress-bar.ts';
import { showWork } from './work-bar.ts';

/** Runs until the signal aborts. Throws ConfigError, StoreError, or the server's error if it cannot start. */
export const run = async (
  context: CommandContext,
  { config: file }: { config: string },
): Promise<ExitCode> => {
  const { env, signal, stdout, stderr, version, nodeVersion, onHangup } = context;
  const load = () => loadSettings(file, env);
  const { config: settings, mistakeAt } = load();
  using bar = progressBar(stderr, settings.log.format === 'pretty');
  const log = createLog(settings.log, bar.keepBelow(stdout));
  const clock = systemClock;
  const reloader = new Reloader({ load, clock, log });
  onHangup(() => void reloader.request());
  await using app = await createApp({ settings, clock, log, version, nodeVersion, mistakeAt });
  await using _ = showWork(bar, app, clock);
  await serve({ app, settings, clock, log, version, signal, reloader });
  log.info({}, 'stopping');
  return 0;
};
