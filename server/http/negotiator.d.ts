declare module 'negotiator' {
  /** The part of the package that is used here; its own types do not know the server's preference. */
  export default class Negotiator {
    constructor(request: { headers: { 'accept-encoding'?: string | undefined } });
    /**
     * Those of `available` that the request accepts, the best first; `preferred` orders those that it accepts equally.
     */
    encodings<Encoding extends string>(
      available: readonly Encoding[],
      options: { preferred: readonly Encoding[] },
    ): Encoding[];
  }
}
