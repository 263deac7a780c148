// Returns the address of the documentation's page about alerts.
function(docsUrl)
  if std.endsWith(docsUrl, '.html') || std.endsWith(docsUrl, '.md') then docsUrl
  else if std.endsWith(docsUrl, '/') then docsUrl + 'alerts.html'
  else docsUrl + '/alerts.html'
