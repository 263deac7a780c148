// Generates random configurations, valid and invalid, of a few accounts of two simulated providers.

import { draw } from '../../src/simulator/random.ts';
import type { Simulator } from '../../src/simulator/simulator.ts';
import { entryOf } from '../collectors/proxy-tests/tests-harness.ts';
import { accountOf, type Sections } from './support.ts';

export interface GeneratedConfig {
  readonly text: string;
  /** The mistake in the configuration; undefined if it is valid. */
  readonly mistake: string | undefined;
}

const ACCOUNTS = ['a', 'b', 'c'];
const SCHEDULES = ['* * * * *', '*/2 * * * *', '*/30 * * * * *', '*/5 * * * *'];
const ZONES = ['UTC', 'Asia/Kolkata', 'America/New_York'];
const GRAPHS = [
  { name: 'shop', hostname: 'shop.example' },
  { name: 'isp', product_type: 'isp', schedule: '*/3 * * * *' },
];
const INVALID_RATIO = 0.3;

export class ConfigGenerator {
  readonly #simulators: readonly Simulator[];
  readonly #seed: number;
  #draws = 0;
  /** Accounts that have had the graph `shop`, which therefore cannot get another filter any more. */
  readonly #withShop = new Set<string>();

  constructor(seed: number, simulators: readonly Simulator[]) {
    this.#seed = seed;
    this.#simulators = simulators;
  }

  next(): GeneratedConfig {
    const names = ACCOUNTS.filter(() => this.#chance(0.6));
    const accounts = (names.length > 0 ? names : ['a']).map((name) => this.#account(name));
    const config = {
      accounts,
      schedule_time_zone: this.#pick(ZONES),
      log: { level: this.#pick(['info', 'debug']) },
    };
    if (this.#chance(INVALID_RATIO)) return this.#withMistake(config);
    for (const { name, graphs } of accounts.map(graphsIn))
      if (graphs.includes('shop')) this.#withShop.add(name);
    return { text: JSON.stringify(config), mistake: undefined };
  }

  /** Returns a random number from 0 to below 1. */
  draw(): number {
    this.#draws += 1;
    return draw(this.#seed, this.#draws);
  }

  #account(name: string): Sections {
    const simulator = this.#pick(this.#simulators);
    return accountOf(simulator, {
      name,
      ...(this.#chance(0.1) ? { private_key: 'wrong' } : {}),
      requests_per_second: this.#pick([1_000_000, 500_000]),
      time_zone: this.#chance(0.9) ? 'UTC' : this.#pick(ZONES),
      traffic: this.#section({
        ...{ catch_up: '10m', reread: '10m' },
        // With the default span, deep rereads would be most of the work.
        deep_reread: { span: '10m' },
        graphs: GRAPHS.filter(() => this.#chance(0.5)),
      }),
      residential_ledger: this.#section({ usage_reasons: this.#pick([['usage'], ['usage', 'adjustment']]) }),
      proxy_users: this.#section({ select: { ids: this.#pick([[], ['user-0']]) } }),
      proxy_tests: this.#section({
        urls: [this.#pick(['https://www.example.com/', 'https://shop.example/'])],
        proxies: [entryOf(0), entryOf(this.#pick([1, 2]))],
      }),
    });
  }

  #section(options: Sections): false | Sections {
    return this.#chance(0.3) ? false : { schedule: this.#pick(SCHEDULES), ...options };
  }

  #withMistake(config: { readonly accounts: readonly Sections[] }): GeneratedConfig {
    const mistake = this.#pick(['syntax', 'key', 'none', 'twice', 'file', 'graph']);
    const [first = {}] = config.accounts;
    const text = (changed: Sections): string => JSON.stringify({ ...config, ...changed });
    switch (mistake) {
      case 'syntax':
        return { mistake, text: text({}).slice(0, -2) };
      case 'key':
        return { mistake, text: text({ sevrer: {} }) };
      case 'none':
        return { mistake, text: text({ accounts: [] }) };
      case 'twice':
        return { mistake, text: text({ accounts: [...config.accounts, first] }) };
      case 'file':
        return {
          mistake,
          text: text({ accounts: [{ ...first, private_key: undefined, private_key_file: '/nowhere' }] }),
        };
      default: {
        const [name = 'a'] = this.#withShop;
        const graphs = [{ name: 'shop', hostname: 'api.example.com' }];
        const mistake = this.#withShop.size > 0 ? 'graph' : undefined;
        return mistake
          ? { mistake, text: text({ accounts: [{ ...first, name, traffic: { graphs } }] }) }
          : this.next();
      }
    }
  }

  #chance(probability: number): boolean {
    return this.draw() < probability;
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.draw() * items.length)] as T;
  }
}

const graphsIn = ({
  name,
  traffic,
}: Sections): { readonly name: string; readonly graphs: readonly string[] } => {
  const { graphs = [] } = (traffic || {}) as { graphs?: readonly { name: string }[] };
  return { name: String(name), graphs: graphs.map((graph) => graph.name) };
};
