import { type Admissions, type Limit, nameOf, type Place, type Refusal, submitName } from './admissions.ts';

/** As `performance.now` has it. */
type Moment = number;

interface Window {
  count: number;
  endsAt: Moment;
}

/** Those of this process. */
export function admissionsInMemory(): Admissions {
  const windows = new Map<string, Window>();
  const open = (name: string, seconds: number): Window => {
    const window = { count: 0, endsAt: performance.now() + seconds * 1000 };
    windows.set(name, window);
    setTimeout(() => windows.delete(name), seconds * 1000).unref();
    return window;
  };
  const paces = new Map<string, Moment>();

  const takeOne = (place: Place): void => {
    const { limit } = place;
    const name = nameOf(place);
    if (limit.evenly) {
      paces.set(name, Math.max(paces.get(name) ?? 0, performance.now()) + intervalMs(limit));
      return;
    }
    const window = windows.get(name) ?? open(name, limit.windowS);
    window.count += 1;
  };
  const refusalBy = (place: Place): Refusal | undefined => {
    const { limit } = place;
    if (limit.evenly) {
      const takenUntil = Math.max(paces.get(nameOf(place)) ?? 0, performance.now());
      const waitMs = takenUntil + intervalMs(limit) - performance.now() - limit.windowS * 1000;
      return waitMs > 0 ? { limit: limit.name, waitMs } : undefined;
    }
    const window = windows.get(nameOf(place));
    if (!window || window.count < limit.most) return undefined;
    return { limit: limit.name, waitMs: window.endsAt - performance.now() };
  };
  return {
    async take(place) {
      const refusal = refusalBy(place);
      if (!refusal) takeOne(place);
      return refusal;
    },
    async admit(admission) {
      const { places, knownForS } = admission;
      if (windows.has(submitName(admission))) return undefined;
      const refusal = places.map(refusalBy).find((one) => one !== undefined);
      if (refusal) return refusal;
      places.forEach(takeOne);
      open(submitName(admission), knownForS);
      return undefined;
    },
  };
}

/** How long it takes until one more place comes back. */
function intervalMs({ most, windowS }: Limit): number {
  return (windowS * 1000) / most;
}
