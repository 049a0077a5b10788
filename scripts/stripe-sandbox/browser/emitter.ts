/** The events of an element, as a page listens to them. https://docs.stripe.com/js/element/events */
export class Emitter<Event> {
  readonly #handlers = new Map<string, Set<(event: Event) => void>>();

  on(name: string, handler: (event: Event) => void): this {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(handler));
    return this;
  }

  off(name: string, handler: (event: Event) => void): this {
    this.#handlers.get(name)?.delete(handler);
    return this;
  }

  protected emit(name: string, event: Event): void {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) handler(event);
  }

  protected forgetHandlers(): void {
    this.#handlers.clear();
  }
}
