import { type RefObject, useEffect, useRef } from 'react';

/**
 * Focuses the element when `value` changes, not when it first appears: a screen reader then reads what is new. Before
 * the visitor has done anything the page stays where she left it: what then changes is only taken up again.
 */
export function useFocusOnChange<Target extends HTMLElement>(value: unknown): RefObject<Target | null> {
  const target = useRef<Target>(null);
  const previous = useRef(value);
  useEffect(() => {
    if (previous.current === value) return;
    previous.current = value;
    if (navigator.userActivation && !navigator.userActivation.hasBeenActive) return;
    target.current?.focus({ preventScroll: true });
    target.current?.scrollIntoView({ block: 'nearest' });
  }, [value]);
  return target;
}
