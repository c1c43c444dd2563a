// Package kubernetes reads the example's manifest as the API server does: into its own types, without unknown fields.
package kubernetes

import (
	"bufio"
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

func TestManifest(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	file, err := os.Open("../../../examples/container/kubernetes.yml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	documents := yaml.NewYAMLReader(bufio.NewReader(file))
	var kinds []string
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, kind.Kind)
		if set, ok := object.(*appsv1.StatefulSet); ok {
			checkStatefulSet(t, set)
		}
	}
	if !slices.Equal(kinds, []string{"Secret", "Service", "StatefulSet"}) {
		t.Errorf("kinds: %v", kinds)
	}
}

func checkStatefulSet(t *testing.T, set *appsv1.StatefulSet) {
	t.Helper()
	if *set.Spec.Replicas != 1 {
		t.Errorf("%d replicas: a data directory has one owner", *set.Spec.Replicas)
	}
	for key, value := range set.Spec.Selector.MatchLabels {
		if set.Spec.Template.Labels[key] != value {
			t.Errorf("the selector's %s does not meet the template", key)
		}
	}
	volumes := map[string]bool{}
	for _, volume := range set.Spec.Template.Spec.Volumes {
		volumes[volume.Name] = true
	}
	for _, claim := range set.Spec.VolumeClaimTemplates {
		volumes[claim.Name] = true
	}
	for _, container := range set.Spec.Template.Spec.Containers {
		ports := map[string]bool{}
		for _, port := range container.Ports {
			ports[port.Name] = true
		}
		for _, probe := range []*corev1.Probe{container.StartupProbe, container.ReadinessProbe, container.LivenessProbe} {
			if probe == nil || !ports[probe.HTTPGet.Port.StrVal] {
				t.Errorf("%s: a probe is missing or asks another port", container.Name)
			}
		}
		for _, mount := range container.VolumeMounts {
			if !volumes[mount.Name] {
				t.Errorf("%s mounts %s, which is no volume", container.Name, mount.Name)
			}
		}
		if container.Resources.Limits.Memory().IsZero() || container.Resources.Requests.Cpu().IsZero() {
			t.Errorf("%s has no limits or requests", container.Name)
		}
	}
}
