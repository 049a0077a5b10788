// Globals that browsers and Node share, but that no TypeScript `lib` declares on its own.

declare class URL {
  constructor(url: string, base?: string | URL);
  readonly href: string;
  readonly hostname: string;
}

/** Only what shared code uses of it; the full type is in the browser's `lib`. */
interface HTMLElement {
  click(): void;
}
