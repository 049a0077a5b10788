/** At most so many in a window of time. */
export interface Limit {
  name: string;
  most: number;
  windowS: number;
  /**
   * Whether places come back one by one, evenly over the window; else the window begins with the first of them, and all
   * come back when it ends.
   */
  evenly?: boolean;
}

/** A place under a limit, such as an address has. */
export interface Place {
  limit: Limit;
  of: string;
}

/** What a submit needs to be admitted. */
export interface Admission {
  /** Names what is registered. */
  registration: string;
  /** Names the submit: one that was admitted of late needs no places. */
  submit: string;
  /** Whose it is. */
  holder: string;
  /** How long an admitted submit is known, and whose the registration is, in seconds. */
  knownForS: number;
  /** All are taken, or none. */
  places: readonly Place[];
}

/** The limit that refuses, and for how long. */
export interface Refusal {
  limit: string;
  waitMs: number;
}

/**
 * Counts and decides, each call as a whole: a flood has nobody's places, not even for a moment. Undefined says that
 * there was room.
 */
export interface Admissions {
  /** Takes one place. */
  take(place: Place): Promise<Refusal | undefined>;
  /** Takes all of a submit's places, or none. */
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
