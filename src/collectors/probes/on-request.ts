// Makes single probes on request, of configured proxies and urls, within the byte budget of the rounds.

import { TESTED_PROXIES } from '../../store/source-proxy-store.ts';
import type { ProbeSubject, RequestedProbe } from '../collector.ts';
import type { OnRequestContext } from '../context.ts';
import type { FoundProxy } from '../proxy-sources/proxy-entry.ts';
import { foundProxyLookup } from '../proxy-sources/tested-proxies.ts';
import type { TrackedSource } from '../proxy-sources/tracked-source.ts';
import { countRefusals } from './batch.ts';
import { bytesOf, isMetered, priceOf } from './budget/byte-prices.ts';
import type { ProbeOptions } from './options.ts';
import { accessOf, type ProbedProxy } from './probed-proxies.ts';
import { type MadeProbe, probeUrl } from './round.ts';
import { openBudget, type RoundState } from './run-round.ts';
import { type LabelledTarget, targetsOf } from './targets.ts';
import { type VantageOptions, vantageContext } from './vantage.ts';

type Context = OnRequestContext<VantageOptions>;

interface Subject {
  readonly proxy: ProbedProxy;
  readonly target: LabelledTarget;
  /** How long the client waits (ms). */
  readonly limitMs: number;
}

export const NO_BUDGET =
  'max_bytes_per_day does not allow a probe through this residential or mobile proxy now; try again later';
const NO_PASSWORD = 'the password of this proxy is not known before the first round of probes';
const NOT_READ = 'the proxies of the account are not known before the first round of probes; try again later';
// The mistakes do not repeat the request, because it may contain the line of a proxy with its password.
const UNKNOWN_URL = 'url: not the name of a url of probes; give its label url';
const UNKNOWN_PROXY = 'proxy: not one of the probed proxies; give its label proxy_id';
const STOPPING = 'the daemon is stopping';

export class ProbesOnRequest {
  readonly #state: RoundState;
  readonly #sources: readonly TrackedSource[];
  #hasReadSources: boolean;
  /** Built at the first request after the sources were read, because an account may have thousands of proxies. */
  #find: ReturnType<typeof foundProxyLookup> | undefined;

  constructor(state: RoundState, sources: readonly TrackedSource[]) {
    this.#state = state;
    this.#sources = sources;
    this.#hasReadSources = sources.length === 0;
  }

  proxiesRefreshed(): void {
    this.#hasReadSources = true;
    this.#find = undefined;
  }

  /** Throws StoreError. A failing probe is a result. */
  async probe(
    context: OnRequestContext<ProbeOptions>,
    { proxy: id, url, limitMs = Number.POSITIVE_INFINITY }: ProbeSubject,
  ): Promise<RequestedProbe> {
    const vantage = vantageContext(context);
    const target = targetsOf(vantage.options).find(({ label }) => label === url);
    if (!target) return { mistake: UNKNOWN_URL };
    const proxy = await this.#findProxy(vantage, id);
    if (proxy === undefined) return this.#hasReadSources ? { mistake: UNKNOWN_PROXY } : { refusal: NOT_READ };
    if (proxy === null) return { refusal: NO_PASSWORD };
    const subject = { proxy, target, limitMs };
    return proxy.isMetered ? this.#probeMetered(vantage, subject) : this.#probeFree(vantage, subject);
  }

  /** Undefined if the proxy is not probed, and null if its password is not known yet. */
  async #findProxy(
    { account, options, store }: Context,
    id: string,
  ): Promise<ProbedProxy | null | undefined> {
    const stored = await store.sourceProxies.find(account.name, TESTED_PROXIES, id);
    if (!stored) return undefined;
    this.#find ??= foundProxyLookup(
      options,
      this.#sources.flatMap(({ proxies }): readonly FoundProxy[] => proxies),
    );
    const access = accessOf(this.#find(stored));
    if (!access) return null;
    const { productType } = stored;
    return { ...stored, endpointKey: '', access, lastTestedAt: null, isMetered: isMetered(productType) };
  }

  async #probeFree(context: Context, subject: Subject): Promise<RequestedProbe> {
    return this.#save(context, subject, await this.#make(context, subject));
  }

  async #probeMetered(context: Context, subject: Subject): Promise<RequestedProbe> {
    const { budgetGate, estimates } = this.#state;
    const price = priceOf([subject.target], estimates);
    // It is unknown how many requests come, so they never use up the day at its beginning.
    // One piece for each write, because what a request counts ahead would be missing for others.
    const use = { metered: Number.POSITIVE_INFINITY, piecesPerWrite: 1 };
    const open = () => openBudget(context, this.#state, use);
    const budget = await budgetGate.reserve(price, open);
    if (!budget) return { refusal: NO_BUDGET };
    let bytes = price.most;
    try {
      const made = await this.#make(context, subject);
      bytes = bytesOf([made.bytes]);
      return await this.#save(context, subject, made);
    } finally {
      budget.settle(price, bytes);
      await budget.close();
    }
  }

  #make(context: Context, { proxy, target, limitMs }: Subject): Promise<MadeProbe> {
    return probeUrl(context, this.#state, proxy, target, limitMs);
  }

  async #save(
    { account, store, clock }: Context,
    { target }: Subject,
    made: MadeProbe,
  ): Promise<RequestedProbe> {
    const { result } = made;
    const bytes = [{ url: target.label, ...made.bytes }];
    const others = { phases: [], failures: [], exits: [], refusals: countRefusals(result ? [result] : []) };
    await store.probes.saveBatch(account.name, { ...others, bytes, now: clock.now() });
    return result ? { result } : { refusal: STOPPING };
  }
}
