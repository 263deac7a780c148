// Shifts the clock of a process into the past by CLOCK_BEHIND_MS: node --import ./shifted-clock.ts …

const behindMs = Number(process.env.CLOCK_BEHIND_MS ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => new target(...((args.length > 0 ? args : [now()]) as [number])),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

function now(): number {
  return RealDate.now() - behindMs;
}
