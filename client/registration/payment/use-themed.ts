import { useEffect, useState } from 'react';
import { subscribeToTheme } from '#client/ui/theme.ts';

/** What a function reads from the page's style, and reads again when the colour scheme changes. */
export function useThemed<Value>(read: () => Value): Value {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const update = () => setValue(read);
    scheme.addEventListener('change', update);
    const unsubscribe = subscribeToTheme(update);
    return () => {
      scheme.removeEventListener('change', update);
      unsubscribe();
    };
  }, [read]);
  return value;
}
