// proxywatch init: takes the keys of an account, tries them, writes a first configuration without them, and runs doctor.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describeInvalidBaseUrl, parseBaseUrl } from '../../config/network.ts';
import { identifier } from '../../config/primitives.ts';
import { createAccountClient } from '../../daemon/account-client.ts';
import { DEFAULT_BASE_URL } from '../../daemon/settings/account-schema.ts';
import { type Account, settingsSchema } from '../../daemon/settings.ts';
import { systemClock } from '../../lib/clock.ts';
import { describeMissingFolder } from '../../lib/missing-folder.ts';
import { MINUTE } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { readCustomer } from '../../provider/resources/proxy-users.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { doctor } from '../doctor/doctor.ts';
import { askKeys, isTerminal, type Keys, keysIn, PRIVATE_KEY, PUBLIC_KEY } from './ask-keys.ts';

export interface FirstAccount {
  readonly name: string;
  /** The lines of the two keys, without indentation. They hold no secret. */
  readonly keys: readonly string[];
  /** Undefined for the default. */
  readonly baseUrl?: string | undefined;
}

export const configText = ({ name, keys, baseUrl }: FirstAccount): string => `\
# The configuration of proxywatch. config.example.yaml and docs/reference/configuration.md have all settings.
# A line that begins with # and has no space after the # is an optional setting. Remove the # to use the setting.
# Check the file with: proxywatch check-config

accounts:
  - name: ${JSON.stringify(name)}    # The label "account" of all metrics. Under another name, the account starts without history.
${keys.map((line) => `    ${line}`).join('\n')}
    ${baseUrl === undefined ? `#base_url: ${DEFAULT_BASE_URL}` : `base_url: ${JSON.stringify(baseUrl)}`}
    # The time zone of the provider's datetimes. doctor says if another one fits.
    time_zone: UTC
    # Purchased services, all proxies of the account, and stock.
    #services: {}
    #inventory: {}
    #catalog: {}
    # Tests of your proxies. They cost test runs and traffic: see docs/how-to/choose-proxies-to-test.md.
    #proxy_tests:
      #urls: ["https://www.example.com/"]
      #max_runs_per_day: 1000
      #proxies:
        #- {search: {proxy_type: isp}}

store:
  path: ./data/proxywatch.db    # Counters and history. Keep this file.

server:
  listen: 127.0.0.1:9876    # For other machines, set web_config_file first: see docs/how-to/tls-and-passwords.md.

# Without Prometheus, the daemon evaluates the alerts itself if it has a receiver: see docs/how-to/get-paged.md.
#alerts:
  #receivers:
    #- {type: webhook, template: slack, url_file: secrets/slack_url}
`;

export interface InitOptions {
  /** The file to write. */
  readonly config: string;
  readonly name: string;
  readonly baseUrl?: string;
}

/** How long the keys are tried, including retries and the pauses that the provider asks for. */
const TRIED_MS = MINUTE;
/** How often the keys are asked for. */
const ATTEMPTS = 3;
const SECRETS = 'secrets';

/**
 * Writes nothing unless the provider knows the keys, and overwrites nothing. Returns 1 then, and if doctor finds that
 * anything failed. Throws the system's errors.
 */
export const init = async (context: CommandContext, options: InitOptions): Promise<ExitCode> => {
  const { stdout, stderr } = context;
  const files = filesOf(options);
  const problem = problemWith(options, keysIn(context) ? [] : [files.publicKey, files.privateKey]);
  const found = problem === undefined ? await findKeys(context, options) : { mistake: problem };
  if ('mistake' in found) {
    stderr.write(`error: ${found.mistake}\n`);
    return 1;
  }
  const { keys, isFromEnvironment } = found;
  if (!isFromEnvironment) writeKeys(files, keys);
  writeFileSync(options.config, textOf(options, files, isFromEnvironment), OWNER_ONLY);
  stdout.write(`${options.config}: written\n`);
  if (!isFromEnvironment)
    stdout.write(`${files.publicKey}, ${files.privateKey}: the keys, for your user only\n`);
  const code = await doctor(context, { config: options.config });
  if (code === 0) stdout.write(`Start the daemon with: proxywatch run --config ${options.config}\n`);
  return code;
};

const OWNER_ONLY = { mode: 0o600, flag: 'wx' } as const;

const filesOf = ({ config, name }: InitOptions) => ({
  folder: join(dirname(config), SECRETS),
  publicKey: join(dirname(config), SECRETS, `${name}_public_key`),
  privateKey: join(dirname(config), SECRETS, `${name}_private_key`),
});

type Files = ReturnType<typeof filesOf>;

/** `keyFiles` are those that init would write. */
const problemWith = ({ config, name, baseUrl }: InitOptions, keyFiles: readonly string[]) => {
  const { error } = identifier().safeParse(name);
  if (error) return `--name: ${error.issues[0]?.message}`;
  if (existsSync(config))
    return `${config} exists. init overwrites no file: edit it, or give another file with --config`;
  const existing = keyFiles.find((file) => existsSync(file));
  if (existing !== undefined)
    return `${existing} exists. init overwrites no file: move it to another folder, or give another --name`;
  if (baseUrl !== undefined && parseBaseUrl(baseUrl) === undefined)
    return `--base-url: ${describeInvalidBaseUrl(baseUrl)}`;
  return describeMissingFolder(config);
};

type Found = { readonly keys: Keys; readonly isFromEnvironment: boolean } | { readonly mistake: string };

const findKeys = async (context: CommandContext, options: InitOptions): Promise<Found> => {
  const given = keysIn(context);
  if (given) {
    const error = await tryKeys(context, options, given);
    return error
      ? { mistake: `the keys in ${PUBLIC_KEY} and ${PRIVATE_KEY}: ${error.mistake}` }
      : { keys: given, isFromEnvironment: true };
  }
  if (!isTerminal(context.stdin))
    return {
      mistake: `there are no keys. Set the variables ${PUBLIC_KEY} and ${PRIVATE_KEY}, or run init on a terminal, which asks for them`,
    };
  return askForKeys(context, options);
};

const askForKeys = async (context: CommandContext, options: InitOptions): Promise<Found> => {
  context.stderr.write(
    "Create a public and a private key in the provider's dashboard, and paste them here.\n",
  );
  for (let attempt = 1; ; attempt += 1) {
    const keys = await askKeys(context);
    if (!keys) return { mistake: 'no keys were given, so nothing is written' };
    const error = await tryKeys(context, options, keys);
    if (!error) return { keys, isFromEnvironment: false };
    if (!error.isUnknown || attempt === ATTEMPTS) return { mistake: error.mistake };
    context.stderr.write(`${error.mistake}\n`);
  }
};

/** What to do about an error. Advice of doctor names settings, and there is no configuration yet. */
const ADVICE: Readonly<Record<ProviderError['kind'], string | undefined>> = {
  // The provider knows the keys, also if they may not use this endpoint or have to wait.
  forbidden: undefined,
  rate_limited: undefined,
  auth: 'The provider does not know the keys. Copy both of them again, or give --base-url if they belong to another provider.',
  not_found: 'Check that --base-url ends with the version of the API, such as /1.0.',
  server:
    'The provider has a problem. Run init again later. If the error remains, ask the support of the provider.',
  network:
    'Check --base-url. Check that DNS and firewalls allow this machine to connect to that address. Then run init again.',
  timeout:
    'Check that firewalls allow this machine to connect to the address of the API. Then run init again.',
  bad_response:
    'Check that --base-url is the address of the API, and that no other server answers at this address.',
  rejected: 'Report a bug of proxywatch.',
};

/** Returns undefined if the provider knows the keys. */
const tryKeys = async (
  { signal, version }: CommandContext,
  options: InitOptions,
  keys: Keys,
): Promise<{ readonly isUnknown: boolean; readonly mistake: string } | undefined> => {
  await using client = createAccountClient(accountOf(options, keys), {
    clock: systemClock,
    userAgent: `proxywatch/${version}`,
    observer: { onResponse: () => {}, onServerDate: () => {} },
  });
  try {
    await readCustomer(client.forRun(systemClock.monotonic() + TRIED_MS), signal, false);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const advice = ADVICE[error.kind];
    if (advice === undefined) return undefined;
    return { isUnknown: error.kind === 'auth', mistake: `${error.message}. ${advice}` };
  }
};

const accountOf = ({ name, baseUrl }: InitOptions, { publicKey, privateKey }: Keys): Account => {
  const account = { name, public_key: publicKey, private_key: privateKey };
  const { accounts } = settingsSchema.parse({
    accounts: [{ ...account, ...(baseUrl && { base_url: baseUrl }) }],
  });
  return accounts[0] as Account;
};

const textOf = (options: InitOptions, files: Files, isFromEnvironment: boolean): string => {
  const pathOf = (file: string): string => JSON.stringify(relative(dirname(options.config), file));
  const keys = isFromEnvironment
    ? [`public_key: \${${PUBLIC_KEY}}`, `private_key: \${${PRIVATE_KEY}}`]
    : [`public_key_file: ${pathOf(files.publicKey)}`, `private_key_file: ${pathOf(files.privateKey)}`];
  return configText({ ...options, keys });
};

const writeKeys = ({ folder, publicKey, privateKey }: Files, keys: Keys): void => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(publicKey, `${keys.publicKey}\n`, OWNER_ONLY);
  writeFileSync(privateKey, `${keys.privateKey}\n`, OWNER_ONLY);
};
