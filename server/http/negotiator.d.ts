declare module 'negotiator' {
  /** The part of the package that is used here; its own types know no preference of the server's. */
  export default class Negotiator {
    constructor(request: { headers: { 'accept-encoding'?: string | undefined } });
    /** Those of `available` that the request takes, the best first; `preferred` orders what it likes equally. */
    encodings<Encoding extends string>(
      available: readonly Encoding[],
      options: { preferred: readonly Encoding[] },
    ): Encoding[];
  }
}
