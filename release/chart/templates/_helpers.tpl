{{/*
The name of a program's objects. Takes the release and the program. At most 52 characters: the pods of a StatefulSet have its name with a hash of ten
as a label, of which Kubernetes takes 63.
*/}}
{{- define "cairn.name" -}}
{{- printf "%s-%s" (.root.Release.Name | trunc 44 | trimSuffix "-") .program -}}
{{- end }}

{{- define "cairn.selector" -}}
app.kubernetes.io/name: cairn
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .program }}
{{- end }}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "cairn.image" -}}
{{ .values.image.repository }}:{{ .values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* The rights of a container of either program: none that it does not need. */}}
{{- define "cairn.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Inbound traffic, one port; the pod keeps its name, because it owns its volume. */}}
{{- define "cairn.network" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "cairn.name" . }}
  labels: {{- include "cairn.labels" . | nindent 4 }}
spec:
  selector: {{- include "cairn.selector" . | nindent 4 }}
  # Both families of addresses where the cluster has both.
  ipFamilyPolicy: PreferDualStack
  ports:
    - { name: http, port: {{ .port }}, targetPort: http }
{{- with .values.ingress }}
{{- if .enabled }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ include "cairn.name" $ }}
  labels: {{- include "cairn.labels" $ | nindent 4 }}
  {{- with .annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- with .tlsSecret }}
  tls:
    - hosts: [{{ $.values.ingress.host | quote }}]
      secretName: {{ . }}
  {{- end }}
  rules:
    - host: {{ .host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ include "cairn.name" $ }}
                port: { name: http }
{{- end }}
{{- end }}
{{- end }}

{{/* The pod of a program. Takes its containers as text besides. */}}
{{- define "cairn.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
# Both programs stop within 10 s.
terminationGracePeriodSeconds: 15
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  # The programs keep the modes of their files themselves.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "cairn.mounts" -}}
- { name: data, mountPath: /var/lib/cairn }
- { name: temporary, mountPath: /tmp }
{{- end }}

{{/*
A pod that is unhealthy, for want of disk space or because a certificate has expired, still serves reads and lets people mend that, and no other pod
would serve them: it leaves the load balancer only if it does not answer at all.
*/}}
{{- define "cairn.probes" -}}
startupProbe:
  tcpSocket: { port: http }
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  tcpSocket: { port: http }
  periodSeconds: 10
readinessProbe:
  tcpSocket: { port: http }
  periodSeconds: 5
{{- end }}

{{- define "cairn.claim" -}}
- metadata: { name: data }
  spec:
    accessModes: [ReadWriteOnce]
    {{- with .values.storage.className }}
    storageClassName: {{ . }}
    {{- end }}
    resources: { requests: { storage: {{ .values.storage.size }} } }
{{- end }}
