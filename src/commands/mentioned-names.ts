// Lists the names by which people mention us in comments.

/** The App's account comes first: hosts complete and link it. Without an App, nobody is heard. */
export function listMentionedNames(
  { serviceName }: { serviceName: string },
  app: { slug: string } | undefined,
): string[] {
  return app === undefined ? [serviceName] : [app.slug, serviceName]
}
