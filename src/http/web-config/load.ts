// Reads web.yml and the files that it names.

import { ConfigError } from '../../config/config-error.ts';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import type { Secret } from '../../lib/secret.ts';
import { type WebSettings, webConfigSchema } from './schema.ts';
import { readTls, type ServerTls, tlsFilesOf } from './tls.ts';

export interface WebConfig {
  /** Null for plain HTTP. */
  readonly tls: ServerTls | null;
  /** bcrypt hashes by user name. If there are none, no password is required. */
  readonly users: ReadonlyMap<string, Secret>;
  /** The headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface WebSource {
  readonly loaded: LoadedConfig<WebSettings>;
  /** The absolute paths of the files that it names. */
  readonly files: readonly string[];
}

/** Reads web.yml without the files that it names. Throws ConfigError with every mistake of the file itself. */
export const readWebSource = (file: string): WebSource => {
  // Other exporters replace no variables in web.yml, and a file must mean the same to all of them.
  const loaded = loadConfig(file, webConfigSchema, null);
  const tls = loaded.config.tls_server_config;
  return { loaded, files: tls ? tlsFilesOf(tls) : [] };
};

/** Reads the certificates and keys that web.yml names. Throws ConfigError with every mistake in them. */
export const webConfigOf = ({ loaded }: WebSource): WebConfig => {
  const { tls_server_config, http_server_config, basic_auth_users } = loaded.config;
  const tls = tls_server_config ? readTls(tls_server_config) : null;
  if (isMistakes(tls)) {
    throw new ConfigError(
      tls.map(({ key, message }) => loaded.mistakeAt(['tls_server_config', key], message)),
    );
  }
  return {
    tls,
    users: new Map(Object.entries(basic_auth_users)),
    headers: http_server_config.headers as Readonly<Record<string, string>>,
  };
};

/** Throws ConfigError. */
export const loadWebConfig = (file: string): WebConfig => webConfigOf(readWebSource(file));

const isMistakes = (
  read: ReturnType<typeof readTls> | null,
): read is Exclude<typeof read, ServerTls | null> => Array.isArray(read);
