import { type Admissions, nameOf, type Place, type Refusal, submitName } from './admissions.ts';

interface Window {
  count: number;
  /** As `performance.now` has it. */
  endsAtMs: number;
}

/** Those of this process. */
export function admissionsInMemory(): Admissions {
  const windows = new Map<string, Window>();
  const open = (name: string, seconds: number): Window => {
    const window = { count: 0, endsAtMs: performance.now() + seconds * 1000 };
    windows.set(name, window);
    setTimeout(() => windows.delete(name), seconds * 1000).unref();
    return window;
  };
  const take = (place: Place): void => {
    const name = nameOf(place);
    const window = windows.get(name) ?? open(name, place.limit.windowS);
    window.count += 1;
  };
  const refusalBy = (place: Place): Refusal | undefined => {
    const window = windows.get(nameOf(place));
    if (!window || window.count < place.limit.most) return undefined;
    return { limit: place.limit.name, waitMs: window.endsAtMs - performance.now() };
  };
  return {
    async admit(admission) {
      const { request, places, knownForS } = admission;
      const tooOften = refusalBy(request);
      if (tooOften) return tooOften;
      take(request);
      if (windows.has(submitName(admission))) return undefined;
      const refusal = places.map(refusalBy).find((one) => one !== undefined);
      if (refusal) return refusal;
      places.forEach(take);
      open(submitName(admission), knownForS);
      return undefined;
    },
  };
}
