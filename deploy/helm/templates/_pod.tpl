{{- define "umpire.labels" -}}
app.kubernetes.io/name: umpire
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* What the pods of both deployments have in common. */}}
{{- define "umpire.pod" -}}
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
automountServiceAccountToken: false
# Variables of Kubernetes about services could be mistaken for ours.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  fsGroup: 1000
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "umpire.container" -}}
{{- $image := required "image.repository is required: push the image." .Values.image.repository }}
image: {{ printf "%s:%s" $image (.Values.image.tag | default .Chart.AppVersion) | quote }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
envFrom:
  - secretRef: {name: {{ .Values.secretName | quote }}}
env:
  {{- $_ := required "env.PUBLIC_URL is required." .Values.env.PUBLIC_URL }}
  {{- range $name, $value := .Values.env }}
  {{- if $value }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
  {{- end }}
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
{{- end }}
