interface DrawingProps {
  svg: string;
  /** What the picture shows; left out where it only decorates. */
  alt?: string | undefined;
  className?: string;
}

/**
 * A drawing as part of a page, in the colours of its theme. This file imports no compiled content, because
 * the social card is drawn before there is any.
 */
export function Drawing({ svg, alt, className = '' }: DrawingProps) {
  return (
    <span
      className={`art ${className}`.trim()}
      {...(alt && { role: 'img', 'aria-label': alt })}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: this site's own constant drawing
      dangerouslySetInnerHTML={{ __html: svg }}
    />
  );
}
