import type { Page } from '@playwright/test';

/**
 * Translates the page as Chrome does, from now on: each text node is replaced by two `font` elements around a new one,
 * also in what is added or changed later. The translation is in capitals. A change to a text that is no longer on the
 * page is reported as an error: nobody would see it.
 */
export async function translatePage(page: Page): Promise<void> {
  await page.evaluate(() => {
    const done = new WeakSet<Node>();
    const translateIn = (root: Node): void => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (node instanceof Text) texts.push(node);
      for (const text of texts) translate(text);
    };
    const translate = (text: Text): void => {
      if (done.has(text) || text.data.trim() === '' || text.parentElement?.closest('script, style')) return;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      const own = document.createTextNode(text.data.toUpperCase());
      done.add(own);
      inner.append(own);
      outer.append(inner);
      text.replaceWith(outer);
    };
    const property = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeValue');
    Object.defineProperty(Node.prototype, 'nodeValue', {
      ...property,
      set(this: Node, value: string) {
        if (!this.isConnected) reportError(new Error(`A text that is not on the page was changed: ${value}`));
        property?.set?.call(this, value);
      },
    });
    translateIn(document.body);
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes) {
        if (type === 'characterData') done.delete(target);
        for (const node of type === 'characterData' ? [target] : addedNodes) {
          if (node instanceof Text) translate(node);
          else translateIn(node);
        }
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
}
