// Writes the text of a first configuration: the account, and the settings that most people want next, as comments.

import { DEFAULT_BASE_URL } from '../../daemon/settings/account-schema.ts';

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
