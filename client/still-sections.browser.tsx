import { memo } from 'react';

/**
 * Stands for a part of the page that the server rendered and that never changes. React takes its element over with all
 * that is in it, and neither its code nor its content is sent a second time.
 */
function still(Tag: 'section' | 'div' | 'footer', selector: string) {
  return memo(function Still() {
    const element = document.querySelector(selector);
    if (!element) return null;
    return (
      <Tag
        id={element.id || undefined}
        className={element.className}
        aria-labelledby={element.getAttribute('aria-labelledby') ?? undefined}
        suppressHydrationWarning
        // biome-ignore lint/security/noDangerouslySetInnerHtml: what stands there already
        dangerouslySetInnerHTML={{ __html: contentOf(element) }}
      />
    );
  });
}

/** Read only if React has to make the element anew, because something else changed the page before it came. */
function contentOf(element: Element): TrustedHTML {
  return { toJSON: () => element.innerHTML, toString: () => element.innerHTML };
}

export const Approach = still('section', '#approach');
export const Author = still('section', '#author');
export const Benefits = still('section', '#benefits');
export const Closing = still('section', '#closing');
export const Faq = still('section', '#faq');
export const Hero = still('section', '#hero');
export const Media = still('section', '#media');
export const Partners = still('section', '#partners');
export const Sessions = still('section', '#sessions');
export const Transform = still('section', '#transform');
export const SiteFooter = still('footer', '.site-footer');
export const PhoneBar = still('div', '.phone-bar');
