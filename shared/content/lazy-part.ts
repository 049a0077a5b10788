/** Shown in place of a part of the page that is loading or failed to load. */
export const lazyPartCopy = {
  loading: 'One moment …',
  failed:
    'This part of the page did not arrive. The connection may have dropped for a moment. What you have entered is kept.',
  missing:
    'We have updated this page since you opened it, and this part of the older one is gone. Please reload: what you have entered is kept, and you go on right here.',
  broken:
    'Something went wrong in this part of the page. It is not your doing, and what you have entered is kept. If reloading the page does not help, the retreat office will:',
  notStarted:
    'The part of the page that answers you did not arrive. The connection may have dropped for a moment, or we have just updated the page. What you have entered is kept.',
  retry: 'Try again',
  reload: 'Reload the page',
} as const;
