// Says what to do next about a fault. The advice about a cause is that of the command `probe`.

import { adviceOnCause } from '../../prober/advice.ts';
import { CAUSES, type Cause, PHASES, type Phase } from '../../prober/probe.ts';
import type { Fault, FaultKind } from '../../store/test-store.ts';
import { ownSettingOf } from './own-setting.ts';
import { isRecovering } from './reasons.ts';

const STEPS: Readonly<Record<Exclude<FaultKind, 'access'>, string>> = {
  proxy: 'if it lasts, ask the provider to replace the proxy',
  target: 'open the target without a proxy; if it works there, use other proxies for it',
  tester: 'you need not do anything; if it lasts, report the tester to the provider',
  provider: 'look at the provider’s status page',
};

const OWN_STEPS = {
  credentials:
    'compare the user name and the password in the configuration with those at the provider, and check whether the provider authorizes this address',
  options: 'correct the options in the user name, such as _c_gb for a country',
};

const INVENTORY_STEPS: Readonly<Record<NonNullable<Fault['inventory']>, string>> = {
  gone: 'take the proxy out of the configuration, or ask the provider why it was removed',
  address: 'use the address that the inventory shows',
};

/** The code of a target that works from here without a proxy. */
export const BLOCKED = 'blocked';

type NamedFault = Pick<Fault, 'kind' | 'code' | 'inventory'>;

/** Without a capital and a full stop. */
export const nextStepOf = ({ kind, code = '', inventory }: NamedFault): string => {
  if (inventory) return INVENTORY_STEPS[inventory];
  if (kind === 'target' && code === BLOCKED) return 'use other proxies for it';
  if (kind !== 'access' && !(kind === 'target' && code !== '')) return STEPS[kind];
  const own = ownSettingOf(code);
  if (own) return OWN_STEPS[own];
  const [phase = '', ...words] = code.split('_');
  const cause = words.join('_');
  return isPhase(phase) && isCause(cause)
    ? adviceOnCause(phase, cause)
    : 'run `proxywatch probe` with the proxy to see which step fails';
};

/** The reason of a fault and what to do next, as the end of a sentence. */
export const reasonAndNextStep = (fault: NamedFault & Pick<Fault, 'reason'>): string => {
  const next = isRecovering(fault.reason) ? 'look again after the next rounds' : nextStepOf(fault);
  return `${fault.reason === '' ? 'its reason is not known yet' : fault.reason}. Next: ${next}`;
};

const isPhase = (text: string): text is Phase => (PHASES as readonly string[]).includes(text);
const isCause = (text: string): text is Cause => (CAUSES as readonly string[]).includes(text);
