// What browsers and Node both have, and no library of TypeScript holds by itself.

declare class URL {
  constructor(url: string, base?: string | URL);
  readonly href: string;
}

/** Named in contracts; what else it has, only the browser knows. */
interface HTMLElement {
  click(): void;
}
