/** At most so many in a window of time, which begins with the first of them. */
export interface Limit {
  name: string;
  most: number;
  windowS: number;
}

/** A place under a limit, such as an address has. */
export interface Place {
  limit: Limit;
  of: string;
}

/** What a submit needs to be admitted. */
export interface Admission {
  /** Is taken whatever becomes of the rest. */
  request: Place;
  /** Names what is registered. */
  registration: string;
  /** Names the submit: one that was admitted of late needs no places. */
  submit: string;
  /** How long an admitted submit is known, and whose the registration is, in seconds. */
  knownForS: number;
  /** All are taken, or none. */
  places: readonly Place[];
}

/** The limit that refuses, and how long. */
export interface Refusal {
  limit: string;
  waitMs: number;
}

/** Admits one submit after the other, each as a whole: a flood has nobody's places, not even for a moment. */
export interface Admissions {
  /** Takes the places; undefined when there was room in all of them. Whoever is refused counts as a request only. */
  admit(admission: Admission): Promise<Refusal | undefined>;
}

/** The name under which a place is counted. */
export function nameOf({ limit, of }: Place): string {
  return `${limit.name}:${of}`;
}

/** The name under which an admitted submit is known. */
export function submitName({ submit }: Admission): string {
  return `registrations-known:${submit}`;
}
