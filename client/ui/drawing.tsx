interface DrawingProps {
  svg: string;
  /** What the picture shows; left out where it only decorates. */
  alt?: string | undefined;
  className?: string;
}

/** A drawing in the colours of the theme; apart from pictures, whose code the completion view does not need. */
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
