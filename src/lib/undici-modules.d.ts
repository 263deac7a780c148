// Declares the modules of undici that proxywatch uses, whose types are those of the whole package.

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';
  export = Agent;
}
declare module 'undici/lib/dispatcher/dispatcher.js' {
  import { Dispatcher } from 'undici';
  export = Dispatcher;
}
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export = Pool;
}
declare module 'undici/lib/core/errors.js' {
  import { errors } from 'undici';
  export = errors;
}
declare module 'undici/lib/api/api-request.js' {
  import { Dispatcher } from 'undici';

  const request: Dispatcher['request'];
  export = request;
}
